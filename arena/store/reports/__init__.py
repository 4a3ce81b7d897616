"""Results for pages and exports, computed from projections."""
