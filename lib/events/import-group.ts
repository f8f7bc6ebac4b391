const prefix = "import.";

export const importGroup = (importId: string): string => prefix + importId;

/**
 * The group of a message among the dead letters. A receiver sees only the first letters of a group, so those of an
 * import do not share one.
 */
export const letterGroup = ({ id, group }: { readonly id: string; readonly group: string }): string =>
  group.startsWith(prefix) ? id : group;
