"""Joint types, one file each; `contract` says what a file must hold."""
