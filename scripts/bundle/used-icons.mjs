import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A rule of the icon font's style sheet: the name of an icon, and where its picture is in the font. */
const iconRule = /^\.codicon-([\w-]+):before \{ content: "\\([0-9a-f]+)" \}\n?/gm;
/** Words that may name an icon, as in `"check"` or `"control-icon codicon codicon-copy"`. */
const words = /["'`\s](?:codicon-)?([\w-]+)(?=["'`\s])/g;
/** These the editor's symbols choose at run time, by their kind. */
const chosenLater = /^symbol-/;

/**
 * webpack's loader that cuts the icon font and its style sheet down to the icons that TypeScript in the option `folders` may
 * show. More are kept than are shown, since a word that is an icon's name may mean something else; none is missed that is named whole.
 */
export default async function usedIcons(content) {
  const { folders } = this.getOptions();
  for (const folder of folders) this.addContextDependency(folder);
  const isFont = this.resourcePath.endsWith(".ttf");
  const styleSheet = isFont ? join(dirname(this.resourcePath), "codicon.css") : this.resourcePath;
  const icons = await shownIcons(styleSheet, folders);
  if (!isFont) {
    const shown = new Set(icons.map(({ name }) => name));
    return content.replace(iconRule, (rule, name) => (shown.has(name) ? rule : ""));
  }
  const { default: subsetFont } = await import("subset-font");
  const text = String.fromCodePoint(...icons.map(({ place }) => place));
  // webpack has decoded `content` as text.
  return subsetFont(await readFile(this.resourcePath), text, { targetFormat: "truetype" });
}

/** The icons of a style sheet that sources in `folders` may show, by name and code point. */
async function shownIcons(styleSheet, folders) {
  const used = new Set();
  for (const folder of folders) {
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    for (const text of texts) for (const [, word] of text.matchAll(words)) used.add(word);
  }
  return [...(await readFile(styleSheet, "utf8")).matchAll(iconRule)]
    .filter(([, name]) => used.has(name) || chosenLater.test(name))
    .map(([, name, place]) => ({ name, place: parseInt(place, 16) }));
}
