from rest_framework.authentication import BaseAuthentication
from rest_framework.authentication import SessionAuthentication as SessionAuthentication


class ApiKeyAuthentication(BaseAuthentication):
    def authenticate(self, request):
        return None
