/** The kinds of insight. */
export const insightTypes = ["PatternAnchor", "CollaborationEvolution", "WorkspaceInsight"] as const;
export type InsightType = (typeof insightTypes)[number];

/** The file that says how the user likes to work, in `~/.sparkle`. */
export const profileFile = "collaborator-profile.md";

const note = "Sparkle adds entries at the end. Edit or delete whatever you like: what stands here is what it knows.";

/** What a profile begins with that has no heading of its own. */
export const profileTemplate =
  "# Collaborator profile\n\n<!-- How you like to work. Edit it: Sparkle reads it when a session begins. -->\n\n";

/** The file of each kind of insight, in `~/.sparkle`, and what it begins with. */
export const notebooks: Readonly<Record<InsightType, { readonly file: string; readonly template: string }>> = {
  PatternAnchor: {
    file: "pattern-anchors.md",
    template: `# Pattern anchors\n\n<!-- Exact phrases that stand for a way of working. ${note} -->\n`,
  },
  CollaborationEvolution: {
    file: "collaboration-evolution.md",
    template: `# Collaboration evolution\n\n<!-- What changed in working together, and why. ${note} -->\n`,
  },
  WorkspaceInsight: {
    file: "workspace-map.md",
    template: `# Workspace map\n\n<!-- What is worth knowing of each workspace. ${note} -->\n`,
  },
};
