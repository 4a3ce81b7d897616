"""Taking along what is stored of oneself, and deleting an account."""
