/**
 * The text of `llms.txt` (https://llmstxt.org): every page of the site with its address and its first sentence.
 * @param {{ name: string, summary: string, address: string, groups: readonly { title: string, pages: readonly { name: string, title: string, file: string }[] }[], textOf: (file: string) => string }} site
 *   `address` is the first page's address with a final slash. `textOf` returns a file's Markdown.
 */
export function llmsText({ name, summary, address, groups, textOf }) {
  const sections = groups.map(({ title, pages }) => {
    const lines = pages.map((page) => {
      const about = firstSentence(textOf(page.file));
      const link = `- [${page.title}](${address}${page.name === "index" ? "" : page.name})`;
      return about === undefined ? link : `${link}: ${about}`;
    });
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return [`# ${name}\n`, `> ${summary}\n`, ...sections].join("\n");
}

/** The first sentence of the first paragraph, without links; undefined if the page begins with something else. */
function firstSentence(markdown) {
  const [, paragraph] = /^# .*\n\n([A-Z`*][^]*?)(?:\n\n|$)/.exec(markdown) ?? [];
  const plain = paragraph
    ?.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\s+/g, " ")
    .replaceAll("**", "");
  return plain === undefined ? undefined : (/^.*?[.:](?= [A-Z]|$)/.exec(plain)?.[0] ?? plain).replace(/:$/, ".");
}
