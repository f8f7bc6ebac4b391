/** The shape of the table, for whoever makes one: the stack, the local service, the tests. */
export const tableShape = {
  partitionKey: "pk",
  sortKey: "sk",
  /** Whole seconds since 1970. Expiry is never prompt, so every reader also compares it with the clock. */
  expiryAttribute: "ttl",
  vectorIndex: {
    name: "review-index",
    vectorAttribute: "vector",
    /** `organization#embedder`: a search never leaves its organization, nor mixes two embedders' spaces. */
    hashAttribute: "vector_space",
    filterAttribute: "vector_repository",
    dimensions: 256,
    distance: "COSINE",
  },
} as const;
