/// Registered applications.
public protocol ApplicationStore: Sendable {
  /// Adds the application. Throws ``StoreError/conflict(_:)`` when id or name are taken.
  func createApplication(_ application: ApplicationRecord) async throws

  /// The application of that id, or `nil`.
  func application(id: String, realm: String) async throws -> ApplicationRecord?

  /// All applications of the realm, by name.
  func applications(realm: String) async throws -> [ApplicationRecord]

  /// Removes the application with all its transactions, so that none of them can be approved any more; the removed
  /// record, or `nil`.
  func deleteApplication(id: String, realm: String) async throws -> ApplicationRecord?
}
