from django.urls.resolvers import URLPattern

app_name = "factcheck"
urlpatterns: list[URLPattern] = []
