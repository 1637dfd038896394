import assert from "node:assert/strict";
import { llmsText } from "../../scripts/docs/llms-text.mjs";

describe("llms.txt of the site", () => {
  it("lists every page with its address and its first sentence", () => {
    const texts = {
      "docs/index.md": "# Kit\n\nA kit for [agents](agents.md), in\ntwo lines. More.\n",
      "docs/keys.md": "# Keys\n\n| Key | Action |\n",
    };
    const page = (name, title) => ({ name, title, file: `docs/${name}.md` });
    const text = llmsText({
      name: "Kit",
      summary: "Helps.",
      address: "https://example.com/kit/",
      groups: [
        { title: "Start", pages: [page("index", "What it is")] },
        { title: "Reference", pages: [page("keys", "Keys")] },
      ],
      textOf: (file) => texts[file],
    });
    assert.equal(
      text,
      [
        "# Kit\n",
        "> Helps.\n",
        "## Start\n",
        "- [What it is](https://example.com/kit/): A kit for agents, in two lines.\n",
        "## Reference\n",
        "- [Keys](https://example.com/kit/keys)\n",
      ].join("\n"),
    );
  });
});
