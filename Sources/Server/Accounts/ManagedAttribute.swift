/// Names of attributes with a meaning for the server.
public enum ManagedAttribute {
  public static let userName = "userName"
  public static let mail = "mail"
  public static let accountStatus = "accountStatus"
  package static let password = "password"

  /// The people at other providers who sign in as the account: texts of the form `provider-subject`, as PingIDM keeps them.
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

  /// Attributes that the server keeps and never shows.
  package static let hidden: Set<String> = [
    securityQuestions, deviceProfiles, retryCount, mailState, cookieEpoch,
  ]

  /// Attributes that only the server sets, and no node, script or import.
  package static let internals: Set<String> = [mailState, cookieEpoch]

  /// Names that attributes cannot have, because accounts have members of these names; in lower case.
  package static let reserved: Set<String> = [
    "_id", "_rev", "username", "mail", "userpassword", "password", "userpasswordhash", "currentpassword",
    "accountstatus", "inetuserstatus", "realm", "universalid", "createtimestamp", "adminroles", "lockeduntil",
    "signatureslockeduntil", "pwdreset", "ds-pwp-password-expiration-time",
  ]

  /// Attributes that nodes keep and that are shown. The owner cannot change them, whatever the schema says.
  package static let serversOwn: Set<String> = [loginCount, "termsAccepted", consentedMappings, links]
}
