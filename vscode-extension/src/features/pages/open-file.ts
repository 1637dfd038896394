import { Position, Selection, Uri, window, workspace } from "vscode";

export async function openFile(file: string, line: number | undefined): Promise<void> {
  const at = new Position((line ?? 1) - 1, 0);
  await window.showTextDocument(Uri.file(file), { selection: new Selection(at, at) });
}

export async function openOrMake(file: string, text: string): Promise<void> {
  const uri = Uri.file(file);
  if (!(await isThere(uri))) await workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  await openFile(file, undefined);
}

export async function isThere(uri: Uri): Promise<boolean> {
  return workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
