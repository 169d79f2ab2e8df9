"""The fields of the answers of all commands, for `tori help json`: a line
"tori NAME" each, then a line "FIELD TAB TEXT" for each field."""
import importlib

from . import COMMANDS
from ..papers.sheets import describe

for name in COMMANDS:
    print(f"tori {name}")
    answer = importlib.import_module(f"{__package__}.{name}").ANSWER
    for field, about in describe(answer):
        print(f"{field}\t{about}")
