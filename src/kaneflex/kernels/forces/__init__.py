"""Applied loads, one kind in each file; `contract` says what a file must hold, `value` what they share."""
