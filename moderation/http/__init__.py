"""What every HTTP resource shares: who asks, strict input, problems, limits, repeated writes, pages.

Resources of the platform are in moderation.api; other parts of the product bring their own.
"""
