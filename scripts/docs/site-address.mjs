import { posix } from "node:path";
import { product } from "../release/identity.mjs";
import { pages } from "./pages.mjs";

const names = new Map(pages.map(({ name, file }) => [file, name]));

/**
 * Returns the site's target for a link in `file`: a page of the site, or a file in the repository. `file` is a path from the repository
 * root, with `/`. Returns addresses and anchors unchanged.
 */
export function siteAddress(link, file) {
  if (/^([a-z]+:|#)/i.test(link)) return link;
  const [path = "", anchor] = link.split("#");
  const target = posix.join(posix.dirname(file), path);
  const name = names.get(target);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  return name === undefined ? `${product.repository}/blob/main/${target}${hash}` : `./${name}.md${hash}`;
}
