import type { OptionDeclarations } from "../options.js";
import type { Subcommand } from "../declaration.js";

export interface CommandNode {
  readonly words: readonly string[];
  readonly about: string;
  readonly options: OptionDeclarations;
  readonly arguments: Readonly<Record<string, string>>;
  readonly members: readonly MemberNode[];
}

interface MemberNode {
  readonly name: string;
  readonly about: string;
  readonly node: CommandNode;
}

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

export function allNodes(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.members.flatMap((member) => allNodes(member.node))];
}

export function nextWords({ members, options }: CommandNode): readonly (readonly [word: string, about: string])[] {
  return [
    ...members.map(({ name, about }) => [name, about] as const),
    ...Object.entries(options).map(([name, { about }]) => [`--${name}`, about] as const),
    ["--help", "print the help"],
  ];
}

export function valuedOptions({ options }: CommandNode): readonly string[] {
  return Object.entries(options).flatMap(([name, { value }]) => (value === undefined ? [] : [`--${name}`]));
}
