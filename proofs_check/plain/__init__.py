"""Plain roads for the checkers: written from the definitions, sharing no code with seprank."""
