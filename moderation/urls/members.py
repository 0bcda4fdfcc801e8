from django.urls import path, re_path

from moderation.views import feed, flags, home, media, notices, posts, preferences, standing

urlpatterns = [
    path("", home.home, name="home"),
    path("acting/", home.acting, name="acting"),
    path("feed/", feed.feed, name="feed"),
    path("posts/<uuid:post_id>/", posts.post, name="post"),
    path("posts/<uuid:post_id>/flag/", flags.flag, name="flag"),
    path("posts/<uuid:post_id>/share/", posts.share, name="share"),
    path("flags/", flags.mine, name="flags"),
    path("flags/<uuid:flag_id>/", flags.one, name="flags-one"),
    path("flags/<uuid:flag_id>/withdraw/", flags.withdraw, name="flags-withdraw"),
    path("notices/", notices.notices, name="notices"),
    path("standing/", standing.standing, name="standing"),
    path("settings/", preferences.preferences, name="settings"),
    re_path(
        r"^media/(?P<folder>[0-9a-f]{2})/(?P<digest>[0-9a-f]{64})\.(?P<suffix>[a-z0-9]{3,4})$",
        media.media,
        name="media",
    ),
]
