"""What pages and exports show, computed from projections."""
