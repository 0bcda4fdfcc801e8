from django.urls.resolvers import URLPattern

app_name = "programme_api"
urlpatterns: list[URLPattern] = []
