import DOMPurify, { type Config } from "dompurify";

const config: Config & { RETURN_DOM_FRAGMENT: true } = {
  RETURN_DOM_FRAGMENT: true,
  // prettier-ignore
  ALLOWED_TAGS: [
    "#text", "a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img", "li", "ol", "p",
    "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
  ],
  ALLOWED_ATTR: ["alt", "class", "data-line", "data-path", "dir", "href", "src", "start", "title"],
  // The others must look like addresses.
  ADD_URI_SAFE_ATTR: ["data-line", "data-path", "dir", "start"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/(?:png|jpe?g|gif|webp);base64,)/iu,
};

/** HTML as nodes, without whatever is not plain formatted text, whoever made it. */
export function cleanFragment(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, config);
}
