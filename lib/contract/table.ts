/** The shape of the table, for everything that creates one: the stack, the local service, the tests. */
export const tableShape = {
  partitionKey: "pk",
  sortKey: "sk",
  /** Whole seconds since 1970. DynamoDB expires items late, so every reader also compares it with the clock. */
  expiryAttribute: "ttl",
  vectorIndex: {
    name: "review-index",
    vectorAttribute: "vector",
    /** `organization#embedder`: a search stays in its organization and never mixes the vectors of two embedders. */
    hashAttribute: "vector_space",
    filterAttribute: "vector_repository",
    dimensions: 256,
    distance: "COSINE",
  },
} as const;
