// The pages of the documentation site, in the order of its sidebar. A page is a Markdown file that reads as well where the
// repository shows it.

/** Groups of pages: the page's name in the site, its name in the sidebar, and its file from the root of the repository. */
export const groups = [
  {
    title: "Using Symposium",
    pages: [
      page("index", "What it is"),
      page("install", "Install"),
      page("configure", "Configure"),
      page("agents", "Agents"),
      page("extensions", "Extensions"),
      page("context", "Rules, skills, commands"),
      page("conversations", "Your conversations"),
      page("project", "Configure a project"),
      page("guard", "Rules for agents"),
      page("sandbox", "The sandbox"),
      page("recommendations", "Recommendations"),
      page("ide-operations", "IDE operations"),
      page("language-models", "Language models"),
      page("command-line", "The command"),
      page("troubleshooting", "Troubleshooting"),
      page("security", "Security"),
    ],
  },
  {
    title: "Editors",
    pages: [page("vscode", "VS Code"), page("zed", "Zed"), page("other-editors", "Other editors")],
  },
  {
    title: "Extension authors",
    pages: [page("writing-extensions", "Writing an extension")],
  },
  {
    title: "Contributors",
    pages: [
      page("contributing", "Contributing", "CONTRIBUTING.md"),
      page("architecture", "Architecture", "ARCHITECTURE.md"),
      page("changelog", "Changelog", "CHANGELOG.md"),
    ],
  },
];

/** All pages, without their groups. */
export const pages = groups.flatMap((group) => group.pages);

function page(name, title, file = `docs/${name}.md`) {
  return { name, title, file };
}
