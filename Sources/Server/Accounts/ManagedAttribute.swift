/// Names of attributes with a meaning for the server.
public enum ManagedAttribute {
  public static let userName = "userName"
  public static let mail = "mail"
  public static let accountStatus = "accountStatus"
  package static let password = "password"

  /// Who at other providers signs in as the account: texts of the form `provider-subject`, as PingIDM keeps them.
  package static let links = "aliasList"

  /// The hashed answers of security questions.
  package static let securityQuestions = "kbaInfo"

  /// Which of the account's addresses are proven, and which are not yet (``MailState``).
  package static let mailState = "mailState"

  /// A number in persistent cookies; cookies with another number are not accepted. Earlier versions raised it when they ended sessions;
  /// ``UserRecord/passwordVersion`` is raised now.
  package static let cookieEpoch = "persistentCookieEpoch"

  package static let loginCount = "loginCount"
  package static let consentedMappings = "consentedMappings"
  package static let deviceProfiles = "deviceProfiles"
  package static let retryCount = "retryLimitNodeCount"

  /// Kept by the server and never shown.
  package static let hidden: Set<String> = [
    securityQuestions, deviceProfiles, retryCount, mailState, cookieEpoch,
  ]

  /// Kept by the server alone: no node, no script and no import sets them.
  package static let internals: Set<String> = [mailState, cookieEpoch]

  /// Names that attributes cannot have, because accounts have members of these names; in lower case.
  package static let reserved: Set<String> = [
    "_id", "_rev", "username", "mail", "userpassword", "password", "userpasswordhash", "currentpassword",
    "accountstatus", "inetuserstatus", "realm", "universalid", "createtimestamp", "adminroles", "lockeduntil",
    "signatureslockeduntil", "pwdreset", "ds-pwp-password-expiration-time",
  ]

  /// Kept by nodes and shown. The owner cannot change them, whatever the schema says.
  package static let serversOwn: Set<String> = [loginCount, "termsAccepted", consentedMappings, links]
}
