import { posix } from "node:path";
import { product } from "../release/identity.mjs";
import { pages } from "./pages.mjs";

const names = new Map(pages.map(({ name, file }) => [file, name]));

/**
 * Where a link of `file` leads to in the site: a page of it, or the file in the repository. Both paths are from the root
 * of the repository, with `/`. Addresses and anchors stay as they are.
 */
export function siteAddress(link, file) {
  if (/^([a-z]+:|#)/i.test(link)) return link;
  const [path = "", anchor] = link.split("#");
  const target = posix.join(posix.dirname(file), path);
  const name = names.get(target);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  return name === undefined ? `${product.repository}/blob/main/${target}${hash}` : `./${name}.md${hash}`;
}
