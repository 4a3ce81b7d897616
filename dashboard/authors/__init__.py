"""The public pages of authors, who asked for one."""
