import type { OptionDeclarations } from "../options.js";
import type { Subcommand } from "../declaration.js";

/** A subcommand or group of them, as its declaration has it. */
export interface CommandNode {
  /** Its words after the program's name; none for the program. */
  readonly words: readonly string[];
  readonly about: string;
  readonly options: OptionDeclarations;
  readonly arguments: Readonly<Record<string, string>>;
  readonly members: readonly MemberNode[];
}

interface MemberNode {
  readonly name: string;
  /** Text of the group's help. */
  readonly about: string;
  readonly node: CommandNode;
}

/** Loads a subcommand and all of its members that helps list. */
export async function commandTree(command: Subcommand, words: readonly string[] = []): Promise<CommandNode> {
  const { declaration } = command;
  if (!declaration) return { words, about: "", options: {}, arguments: {}, members: [] };
  const { about, options = {} } = declaration;
  if (!("members" in declaration))
    return { words, about, options, arguments: declaration.arguments ?? {}, members: [] };
  const members: MemberNode[] = [];
  for (const [name, member] of Object.entries(declaration.members)) {
    if (member.isHidden) continue;
    members.push({ name, about: member.about, node: await commandTree(await member.load(), [...words, name]) });
  }
  return { words, about, options, arguments: {}, members };
}

/** The node and all nodes below it. */
export function allNodes(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.members.flatMap((member) => allNodes(member.node))];
}

/** Words that may follow those of a node, with their texts in the help. */
export function nextWords({ members, options }: CommandNode): readonly (readonly [word: string, about: string])[] {
  return [
    ...members.map(({ name, about }) => [name, about] as const),
    ...Object.entries(options).map(([name, { about }]) => [`--${name}`, about] as const),
    ["--help", "print the help"],
  ];
}

/** The options of a node that take a value, as they are typed. */
export function valuedOptions({ options }: CommandNode): readonly string[] {
  return Object.entries(options).flatMap(([name, { value }]) => (value === undefined ? [] : [`--${name}`]));
}
