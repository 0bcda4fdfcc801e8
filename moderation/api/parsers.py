from rest_framework.parsers import JSONParser


class StrictJSONParser(JSONParser):
    pass
