/// Runs `body`, and then `end` whatever comes of it: a `defer` cannot wait.
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
