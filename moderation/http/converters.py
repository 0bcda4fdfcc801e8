"""How a post is named in an address: by its id, or as ext:<external id>, which may hold slashes."""


class RefConverter:
    regex = r"ext:.+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value
