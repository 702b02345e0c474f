"""Applied loads, one kind or family per file; each books its potential energy and its power."""
