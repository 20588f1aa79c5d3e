"""speedscope.py <dist/release of the npm package> <folder> <browser>...: opens
exports in speedscope and tells what it made of them: it puts the name of what
it has imported into its title bar, and shows its tools."""
import base64
import os
import re
import subprocess
import sys

release, folder, *browser = sys.argv[1:]
for name in (
    "calls.speedscope.json",
    "calls.folded",
    "calls.pb.gz",
    "calls.json",
    "layers.json",
    "broken.json",
):
    with open(os.path.join(folder, name), "rb") as file:
        content = base64.b64encode(file.read()).decode()
    script = os.path.join(folder, name + ".js")
    with open(script, "w") as file:
        # What it cannot read it says in a dialogue, which would wait for ever.
        file.write('window.alert = () => {}; speedscope.loadFileFromBase64("%s", "%s")' % (name, content))
    page = subprocess.run(
        [
            *browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--user-data-dir=" + os.path.join(folder, "browser"),
            "--allow-file-access-from-files",
            "--virtual-time-budget=5000",
            "--dump-dom",
            "file://%s/index.html#localProfilePath=%s" % (release, script),
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "speedscope</title>" in page, page[:2000]
    title = re.search("<title>(.*?)</title>", page)[1]
    if "Sandwich" not in page:
        print("%s: refused" % name)
    elif name == "calls.speedscope.json":
        assert title == "sample.tarmac - speedscope", title
        assert "thread 1<" in page, page
        print("%s: %s" % (name, "thread 1"))
    else:
        print("%s: imported" % name)
