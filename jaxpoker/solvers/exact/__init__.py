"""Small games with all their deals: solving, best responses and exploitability are exact."""
