"""What every test shares. Each room of fixtures is a plugin of its own."""

pytest_plugins = ["tests.services"]
