/** The group of all messages of one import. */
export const importGroup = (importId: string): string => `import.${importId}`;

/**
 * The group of a message among the dead letters. A receiver sees only the first letters of a group, so those of an
 * import do not share one.
 */
export const letterGroup = ({ id, group }: { readonly id: string; readonly group: string }): string =>
  group.startsWith(importGroup("")) ? `letter.${id}`.slice(0, 128) : group;
