// The Marketplace shows README.md outside the repository, and refuses pictures that could be scripts.
import { slugOf } from "./slug.mjs";

/** Returns the problems of an extension's README, one sentence each. */
export function readmeProblems(readme) {
  // Markdown in code is not a link.
  const unfenced = readme.replace(/^(```|~~~)[^]*?^\1/gm, "");
  const text = unfenced.replace(/`[^`\n]*`/g, "");
  const links = [...text.matchAll(/(!?)\[[^\]]*\]\(\s*<?([^)\s>]*)/g)].map(([, mark, target]) => ({
    target,
    isPicture: mark === "!",
  }));
  const references = [...text.matchAll(/^\s*\[[^\]]+\]:\s*(\S+)/gm)].map(([, target]) => ({
    target,
    isPicture: false,
  }));
  const tags = [...text.matchAll(/<(?:img|video|source)\b[^>]*?\bsrc\s*=\s*["']?([^"'\s>]*)/gi)].map(([, target]) => ({
    target,
    isPicture: true,
  }));
  const anchors = new Set([...unfenced.matchAll(/^#+ +(.+)$/gm)].map(([, heading]) => slugOf(heading)));
  return [
    ...[...links, ...references, ...tags].flatMap((link) => linkProblems(link, anchors)),
    ...(/<svg\b/i.test(text) ? ["README.md has an <svg>."] : []),
    ...(/<script\b/i.test(text) ? ["README.md has a <script>."] : []),
    ...(text.trim() === "" ? ["README.md is empty."] : []),
  ];
}

function linkProblems({ target, isPicture }, anchors) {
  if (!isPicture && target.startsWith("#"))
    return anchors.has(target.slice(1)) ? [] : [`README.md has no heading for ${target}.`];
  if (!isPicture && /^mailto:\S+@\S+$/.test(target)) return [];
  if (!URL.canParse(target) || new URL(target).protocol !== "https:")
    return [`README.md points to "${target}", which is no https address.`];
  const isSvg = isPicture && new URL(target).pathname.toLowerCase().endsWith(".svg");
  return isSvg ? [`README.md shows ${target}, an SVG, which the Marketplace refuses.`] : [];
}
