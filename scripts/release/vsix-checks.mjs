// File checks of the VS Code Marketplace and Open VSX that vsce doesn't make. vsce makes its own checks in addition.
import { posix } from "node:path";
import { readmeProblems } from "./readme-checks.mjs";

const categories =
  "Programming Languages|Snippets|Linters|Themes|Debuggers|Formatters|Keymaps|SCM Providers|Other|Extension Packs|" +
  "Language Packs|Data Science|Machine Learning|Visualization|Notebooks|Education|Testing|AI|Chat";
/** The events of VS Code that may start an extension; `*`, which is any, and searching the workspace are slow for all. */
const activation = new RegExp(
  `^on(?:StartupFinished|Uri|(?:AuthenticationRequest|ChatParticipant|Command|CustomEditor|FileSystem|Language|` +
    `LanguageModelChatProvider|LanguageModelTool|McpCollection|OpenExternalUri|TaskType|TerminalProfile|View|Walkthrough|` +
    `WebviewPanel):\\S+)$`,
);
const limits = { displayName: 255, description: 2048, keyword: 255, keywords: 30, iconPixels: 128 };
const identifier = /^[a-z0-9][a-z0-9-]*$/i;
const invisible = /\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}/u;

/**
 * What is wrong with an extension: one sentence each, none when it is sound. `manifest` is its package.json, `files` the
 * paths of its package, `readme` the text of README.md, `icon` the bytes of the icon, `types` the version of @types/vscode
 * that it is compiled with.
 */
export function vsixProblems({ manifest, files, readme, icon, types }) {
  return [
    ...identityProblems(manifest),
    ...textProblems(manifest),
    ...addressProblems(manifest),
    ...engineProblems(manifest, types),
    ...featureProblems(manifest, files),
    ...iconProblems(manifest, files, icon),
    ...fileProblems(manifest, files),
    ...(readme === undefined ? ["README.md is missing."] : readmeProblems(readme)),
  ];
}

function identityProblems({ name = "", publisher = "", version = "", license = "" }) {
  return [
    ...when(!identifier.test(name), `name "${name}" has to be letters, digits and -.`),
    ...when(!identifier.test(publisher), `publisher "${publisher}" has to be letters, digits and -.`),
    ...when(!/^\d+\.\d+\.\d+$/.test(version), `version "${version}" has to be three numbers.`),
    ...when(license === "" || license.startsWith("SEE "), "license has to name one."),
  ];
}

function textProblems({ displayName = "", description = "", keywords = [], categories: named = [] }) {
  const isLong = keywords.find((keyword) => keyword.length > limits.keyword || invisible.test(keyword));
  const strange = named.find((category) => !categories.split("|").includes(category));
  return [
    ...Object.entries({ displayName, description }).flatMap(([field, text]) => [
      ...when(text === "", `${field} is missing.`),
      ...when(text.length > limits[field], `${field} is longer than ${limits[field]} characters.`),
      ...when(invisible.test(text), `${field} has a character that cannot be seen.`),
    ]),
    ...when(keywords.length > limits.keywords, `There are more than ${limits.keywords} keywords.`),
    ...when(isLong !== undefined, `The keyword "${isLong}" is too long or cannot be read.`),
    ...when(named.length === 0, "categories is empty."),
    ...when(strange !== undefined, `"${strange}" is no category.`),
  ];
}

function addressProblems({ repository, homepage, bugs, qna, galleryBanner, markdown }) {
  const addresses = { repository: repository?.url, homepage, bugs: bugs?.url };
  const isAddress = (text) => URL.canParse(text) && new URL(text).protocol === "https:";
  return [
    ...when(repository?.url === undefined, "repository is missing: links of the README are made of it."),
    ...Object.entries(addresses).flatMap(([field, address]) =>
      when(address !== undefined && !isAddress(address), `${field} "${address}" is no https address.`),
    ),
    ...when(qna !== undefined && qna !== false && qna !== "marketplace" && !isAddress(qna), `qna "${qna}" is none.`),
    ...when(!["dark", "light", undefined].includes(galleryBanner?.theme), "galleryBanner.theme is dark or light."),
    ...when(!["github", "standard", undefined].includes(markdown), "markdown is github or standard."),
  ];
}

function engineProblems({ engines }, types) {
  const [, oldest] = /^\^(\d+\.\d+\.\d+)$/.exec(engines?.vscode ?? "") ?? [];
  if (oldest === undefined) return [`engines.vscode "${engines?.vscode}" has to be ^ and the oldest version.`];
  const isNewer = types !== undefined && types.localeCompare(oldest, "en", { numeric: true }) > 0;
  return when(isNewer, `It is compiled for VS Code ${types}, and says that it runs in ${oldest}.`);
}

function featureProblems({ activationEvents = [], enabledApiProposals, main, browser, private: isPrivate }, files) {
  const strange = activationEvents.find((event) => !activation.test(event));
  const entry = main === undefined ? undefined : posix.normalize(main);
  return [
    ...when(enabledApiProposals !== undefined, "It uses stable API only: no enabledApiProposals."),
    ...when(strange !== undefined, `"${strange}" starts it when it is not needed, or never.`),
    ...when(entry === undefined || !files.includes(entry), `main "${main}" is not in the package.`),
    ...when(browser !== undefined, "It starts programs, and has nothing for a browser."),
    ...when(isPrivate === true, "It is private, and not to be published."),
  ];
}

function iconProblems({ icon: name = "" }, files, icon) {
  if (!name.endsWith(".png") || !files.includes(posix.normalize(name)))
    return [`icon "${name}" is no PNG in the package.`];
  const isPng = icon?.toString("latin1", 1, 4) === "PNG" && icon.length > 24;
  if (!isPng) return [`icon "${name}" is no PNG.`];
  const [width, height] = [icon.readUInt32BE(16), icon.readUInt32BE(20)];
  return when(
    width !== height || width < limits.iconPixels,
    `icon "${name}" is ${width} by ${height}; it has to be square, and ${limits.iconPixels} at least.`,
  );
}

/** The files that the manifest's contributions name, and those that have to be there anyway. */
function fileProblems({ contributes = {} }, files) {
  const required = ["package.json", "README.md", "LICENSE", "CHANGELOG.md"];
  const missing = [...required, ...new Set(namedFiles(contributes))].filter((name) => !files.includes(name));
  const folded = files.map((name) => name.toLowerCase());
  const twice = files.find((name, index) => folded.indexOf(name.toLowerCase()) !== index);
  return [
    ...missing.map((name) => `${name} is not in the package.`),
    ...when(twice !== undefined, `${twice} is there twice, in upper and lower case.`),
  ];
}

function namedFiles(value, key = "") {
  if (Array.isArray(value)) return value.flatMap((item) => namedFiles(item, key));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, item]) => namedFiles(item, name));
  const isFile = ["icon", "markdown", "image", "svg", "light", "dark"].includes(key) && typeof value === "string";
  return isFile && !value.startsWith("$(") ? [posix.normalize(value)] : [];
}

function when(isWrong, problem) {
  return isWrong ? [problem] : [];
}
