import { childOf, childrenOf, childText, parseXml, type XmlElement } from "../../../base/xml.js";

/** A dependency on `group:artifact`. Texts may contain unexpanded `${…}`. */
export interface PomDependency {
  readonly group: string;
  readonly artifact: string;
  readonly version?: string;
  readonly scope?: string;
  readonly type?: string;
  readonly isOptional: boolean;
  /** `group:artifact`; either part may be `*`. */
  readonly exclusions: readonly string[];
}

/** Parsed content of one pom.xml, without inheritance. */
export interface Pom {
  readonly group?: string;
  readonly artifact: string;
  readonly version?: string;
  readonly parent?: {
    readonly group: string;
    readonly artifact: string;
    readonly version: string;
    readonly path: string;
  };
  readonly properties: ReadonlyMap<string, string>;
  readonly managed: readonly PomDependency[];
  readonly dependencies: readonly PomDependency[];
  /** Folders or files, relative to the project's folder. */
  readonly modules: readonly string[];
}

const coordinate = /^[A-Za-z0-9_.-]+$/;

/** Whether the text is a valid coordinate part. Only such texts may become part of a path or command. */
export function isCoordinate(text: string): boolean {
  return coordinate.test(text) && text.length <= 200 && !/^[.-]|\.\./.test(text);
}

/** Returns undefined if the text isn't a Maven project. */
export function parsePom(text: string): Pom | undefined {
  const project = parseXml(text);
  if (project?.name !== "project") return undefined;
  const parent = childOf(project, "parent");
  const own = optional({ group: childText(project, "groupId"), version: childText(project, "version") });
  return {
    ...own,
    artifact: childText(project, "artifactId") ?? "",
    ...(parent && {
      parent: {
        group: childText(parent, "groupId") ?? "",
        artifact: childText(parent, "artifactId") ?? "",
        version: childText(parent, "version") ?? "",
        // An empty path means that Maven doesn't search next to the project.
        path: childOf(parent, "relativePath") ? (childText(parent, "relativePath") ?? "") : "../pom.xml",
      },
    }),
    properties: new Map(childOf(project, "properties")?.children.map(({ name, text }) => [name, text.trim()])),
    managed: dependenciesIn(childOf(childOf(project, "dependencyManagement"), "dependencies")),
    dependencies: dependenciesIn(childOf(project, "dependencies")),
    modules: childrenOf(childOf(project, "modules"), "module").map(({ text }) => text.trim()),
  };
}

function dependenciesIn(element: XmlElement | undefined): readonly PomDependency[] {
  return childrenOf(element, "dependency").map((one) => ({
    group: childText(one, "groupId") ?? "",
    artifact: childText(one, "artifactId") ?? "",
    ...optional({
      version: childText(one, "version"),
      scope: childText(one, "scope"),
      type: childText(one, "type"),
    }),
    isOptional: childText(one, "optional") === "true",
    exclusions: childrenOf(childOf(one, "exclusions"), "exclusion").map(
      (exclusion) => `${childText(exclusion, "groupId") ?? "*"}:${childText(exclusion, "artifactId") ?? "*"}`,
    ),
  }));
}

/** Omits keys with undefined values. */
function optional<Key extends string>(values: Readonly<Record<Key, string | undefined>>): Partial<Record<Key, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<
    Record<Key, string>
  >;
}
