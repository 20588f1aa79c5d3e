"""visits.py <rewind> <source> (<trace> <image>)...: what `eval` lists at the
visits of a place is what it says at each of their positions alone."""
import json
import subprocess
import sys

rewind, source, *programs = sys.argv[1:]
places = {}
for number, line in enumerate(open(source), 1):
    if "// " in line and ";" in line:
        places[line.rsplit("// ", 1)[1].strip()] = f"visits.cpp:{number}"
questions = {
    "member": ["Id", "this->Id", "Low", "Next->Twin.Id", "Weights[1]", "*this", "Times", "Name", "Next->Next->High",
               "(*Next).Weights[2]", "Twin", "Twin.Twin.Name"],
    "walked": ["At", "*At", "At->Id", "At->High", "At->Next->Next->Id", "Depth", "Other", "Other.Weights[0]", "Row",
               "Row[2]", "Row[Depth & 3]", "Hand", "**Hand", "(*Hand)->Twin.Low", "Here", "Ring[Depth & 3].Name",
               "Total", "Ring", "sp+16", "sp", "Last.Twin.Id", "At->Nothing", "Nothing"],
    "inner": ["Inner", "Below", "Here", "At->Twin.Next", "Other.Id", "Ring[1].Next->Id"],
    "back": ["Below", "Inner", "At->Low", "Hand"],
    "called": ["I", "Row", "Row[3]", "Ring[I & 3].Id", "Total"],
}


def answer(trace, image, expression, place, more):
    told = subprocess.run([rewind, "eval", trace, "-i", image, expression, "--at", place, *more, "--json"],
                          capture_output=True, text=True)
    return json.loads(told.stdout)["items"] if told.stdout else told.stderr


compared = answered = differ = 0
for trace, image in zip(programs[::2], programs[1::2]):
    for place, expressions in questions.items():
        for expression in expressions:
            for more in ([], ["--size", "2"]):
                rows = answer(trace, image, expression, places[place], more)
                if isinstance(rows, str):  # it fails everywhere in the same way
                    continue
                # The first of a place is always asked in full.
                for row in rows[1:] if len(rows) < 4 else rows[1 :: len(rows) // 3]:
                    one = answer(trace, image, expression, f"#{row['position']}", more)
                    # An error of one question is all of its answer.
                    same = row["error"] in one if isinstance(one, str) else row == one[0]
                    compared += 1
                    answered += row.get("value") is not None
                    if not same:
                        differ += 1
                        print(trace, places[place], expression, more, row, one)
                    if more:
                        break
print(compared, "compared,", answered, "have a value,", differ, "differ")
