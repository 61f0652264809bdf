public import Foundation

/// What the nodes for other identity providers work with.
public struct FederationServices: Sendable {
  public var providers: IdentityProviders
  /// Where linked accounts are looked up; `nil` finds none.
  public var identities: (any ManagedObjects)?
  /// Runs the transformations of journeys and providers; `nil` where no scripts are run.
  public var transformer: (any ProfileTransforming)?
  let client: ProviderClient
  let randomBytes: @Sendable (Int) -> [UInt8]

  public init(
    providers: IdentityProviders, identities: (any ManagedObjects)?,
    transformer: (any ProfileTransforming)? = nil,
    transport: any ProviderTransport, clock: @escaping @Sendable () -> Date,
    randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.providers = providers
    self.identities = identities
    self.transformer = transformer
    self.randomBytes = randomBytes
    client = ProviderClient(transport: transport, clock: clock)
  }
}
