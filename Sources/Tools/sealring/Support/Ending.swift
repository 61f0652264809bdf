/// Runs `body`, and then `end`, even if `body` throws: a `defer` cannot await.
func ending<Result>(
  _ end: () async throws -> Void, _ body: () async throws -> Result
) async throws -> Result {
  let result: Result
  do { result = try await body() } catch {
    try? await end()
    throw error
  }
  try await end()
  return result
}
