const prefix = "import.";

export const importGroup = (importId: string): string => prefix + importId;

/** A receiver sees only the first letters of a group, so the dead letters of an import do not share one. */
export const letterGroup = ({ id, group }: { readonly id: string; readonly group: string }): string =>
  group.startsWith(prefix) ? id : group;
