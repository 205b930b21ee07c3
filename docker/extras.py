"""The requirements of extras, one a line, for the Dockerfile: python extras.py [NAME,NAME]"""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
for name in filter(None, "".join(sys.argv[1:]).split(",")):
    print(*project["optional-dependencies"][name], sep="\n")
