internal import Bytes
internal import JourneyStore
internal import Operations
internal import PasswordHashing
internal import PasswordRules
internal import ServerHTTP

/// The first account of a new server: PingAM's `amAdmin`, in the root realm.
enum Administrator {
  static let username = "amAdmin"

  /// Creates the account of a server that has no administrator yet; otherwise checks whether it has the configured password. An account that
  /// administrators have deleted does not come back: its password stands in a log or a settings file.
  static func create(
    in store: any ServerStore, passwords: PasswordHasher, configuration: ServerConfiguration
  ) async throws -> AdministratorState {
    if let user = try await store.user(named: username, realm: "root") {
      return try await state(of: user, passwords: passwords, configuration: configuration)
    }
    let others = try await store.usersWithRoles(realm: "root", after: nil, limit: .max)
    guard !others.contains(where: { $0.isAdministrator && $0.isActive }) else { return .deleted }
    let generated = configuration.administratorPassword == nil
    let password =
      configuration.administratorPassword ?? Secret(Base64URL.encode(configuration.randomBytes(18)))
    let policy = PasswordPolicy(minimumLength: configuration.passwordMinimum)
    if !generated, let fault = policy.faults(in: password.reveal(), context: [username]).first {
      throw ServerSetupError(
        "The administrator \(username) cannot be created with this password. \(fault) "
          + "Set another in SEALRING_ADMIN_PASSWORD, or none for a random one.")
    }
    let user = UserRecord(
      realm: "root", username: username, passwordHash: try await passwords.hash(password.reveal()),
      isAdministrator: true, createdAt: configuration.clock())
    // Another server on the same database may have been faster; then that one's password counts.
    do { try await store.createUser(user) } catch StoreError.conflict {
      let present = try await store.user(named: username, realm: "root") ?? user
      return try await state(of: present, passwords: passwords, configuration: configuration)
    }
    return .created(madeUp: generated ? password : nil)
  }

  private static func state(
    of user: UserRecord, passwords: PasswordHasher, configuration: ServerConfiguration
  ) async throws -> AdministratorState {
    guard let configured = configuration.administratorPassword else {
      return .present(hasConfiguredPassword: nil)
    }
    return .present(
      hasConfiguredPassword: try await passwords.verify(configured.reveal(), against: user.passwordHash))
  }
}
