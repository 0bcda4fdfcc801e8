from rest_framework.pagination import CursorPagination


class CursorPage(CursorPagination):
    page_size = 50
    max_page_size = 200
    ordering = "-id"
