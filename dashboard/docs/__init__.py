"""The documentation. Its Markdown files are in `pages`, a link to the repository's folder docs."""
