"""Starts, watches and stops everything the product needs on one machine. Standard library only.

The launcher knows processes, folders and sockets; it never imports the product. What it asks of the
product it asks through `manage.py` and HTTP (ADR 0003).
"""
