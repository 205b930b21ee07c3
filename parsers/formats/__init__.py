"""The formats: values, one file a family. Nothing here runs."""
