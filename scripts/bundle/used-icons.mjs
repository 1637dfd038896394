import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A rule of the icon font's style sheet: the name of an icon, and where its picture is in the font. */
const iconRule = /^\.codicon-([\w-]+):before \{ content: "\\([0-9a-f]+)" \}\n?/gm;
/** What a source names whole: `"check"`, and `"control-icon codicon codicon-copy"`. */
const words = /["'`\s](?:codicon-)?([\w-]+)(?=["'`\s])/g;
/** These the editor's symbols choose at run time, by their kind. */
const chosenLater = /^symbol-/;

/**
 * esbuild's plugin that cuts the icon font and its style sheet down to the icons that TypeScript in `folders` may show. More
 * are kept than are shown, since a word that is an icon's name may mean something else; none is missed that is named whole.
 */
export function usedIcons(folders) {
  return {
    name: "used-icons",
    setup(build) {
      build.onLoad({ filter: /[\\/]codicon\.css$/ }, async ({ path }) => {
        const shown = new Set((await shownIcons(path, folders)).map(({ name }) => name));
        const text = await readFile(path, "utf8");
        return { contents: text.replace(iconRule, (rule, name) => (shown.has(name) ? rule : "")), loader: "css" };
      });
      build.onLoad({ filter: /[\\/]codicon\.ttf$/ }, async ({ path }) => {
        // Loaded here: whoever bundles the command alone does without it.
        const { default: subsetFont } = await import("subset-font");
        const icons = await shownIcons(join(dirname(path), "codicon.css"), folders);
        const text = String.fromCodePoint(...icons.map(({ place }) => place));
        return { contents: await subsetFont(await readFile(path), text, { targetFormat: "truetype" }), loader: "file" };
      });
    },
  };
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
