"""Codecs: each turns the text of call bodies into a name and JSON text as it comes."""
