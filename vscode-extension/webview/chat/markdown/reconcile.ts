/**
 * Makes what follows `last` in `parent` (everything, where it is null) look like `wanted`, and keeps the nodes that are
 * the same already: what the user has selected stays selected while the end of an answer is written.
 */
export function reconcile(parent: Node, last: Node | null, wanted: Node): void {
  let old = last === null ? parent.firstChild : last.nextSibling;
  let next = wanted.firstChild;
  while (old !== null && next !== null) {
    const [oldAfter, nextAfter]: [ChildNode | null, ChildNode | null] = [old.nextSibling, next.nextSibling];
    if (!old.isEqualNode(next)) {
      if (old instanceof Text && next instanceof Text) old.data = next.data;
      else if (isSameShell(old, next)) reconcile(old, null, next);
      else parent.replaceChild(next, old);
    }
    old = oldAfter;
    next = nextAfter;
  }
  while (old !== null) {
    const after: ChildNode | null = old.nextSibling;
    old.remove();
    old = after;
  }
  while (next !== null) {
    const after: ChildNode | null = next.nextSibling;
    parent.appendChild(next);
    next = after;
  }
}

function isSameShell(old: Node, next: Node): boolean {
  return old.cloneNode().isEqualNode(next.cloneNode());
}
