// VitePress configuration, which the staged folder's configuration re-exports.
import { join } from "node:path";
import { product } from "../release/identity.mjs";
import { slugOf } from "../release/slug.mjs";
import { root } from "../set-up.mjs";
import { groups, pages } from "./pages.mjs";
import { siteAddress } from "./site-address.mjs";

const files = new Map(pages.map(({ name, file }) => [`${name}.md`, file]));

const base = new URL(product.site).pathname;

export default {
  title: product.name,
  description: product.description,
  lang: "en",
  base,
  head: [["link", { rel: "icon", href: `${base}icon.svg` }]],
  outDir: join(root, "dist-docs"),
  cleanUrls: true,
  markdown: { anchor: { slugify: slugOf }, config: rewriteLinks },
  themeConfig: {
    search: { provider: "local" },
    outline: "deep",
    sidebar: groups.map(({ title, pages: items }) => ({
      text: title,
      items: items.map(({ name, title: text }) => ({ text, link: `/${name === "index" ? "" : name}` })),
    })),
    socialLinks: [{ icon: "github", link: product.repository }],
    docFooter: { prev: false, next: false },
  },
};

/** Sources link to each other by their places in the repository. */
function rewriteLinks(markdown) {
  markdown.core.ruler.push("site-address", ({ tokens, env }) => {
    const file = files.get(env.relativePath);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === "link_open" ? token.attrGet("href") : null;
      if (href !== null && file !== undefined) token.attrSet("href", siteAddress(href, file));
    }
  });
}
