extension FuzzTarget {
  /// A settings file is refused, or all of it is known and none of it a secret.
  static let settings = FuzzTarget { bytes in
    let definitions = SettingDefinition.client
    guard let file = try? SettingsFile(parsing: bytes, path: "config.toml", definitions: definitions) else {
      return
    }
    for profile in [nil] + file.profiles.map(Optional.some) {
      guard let settings = try? Settings(definitions: definitions, files: [file], profile: profile) else {
        continue
      }
      for definition in definitions {
        let text = settings.text(definition.name)
        expect(definition.kind != .flag || ["true", "false"].contains(text), "a flag is neither on nor off")
        expect(definition.kind != .number || text.isEmpty || Int64(text) != nil, "a number is none")
      }
      expect(settings["password"] == nil, "settings hold a secret")
    }
  }
}
